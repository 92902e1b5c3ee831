/**
 * `npm run images`: builds the image of each program with Docker or buildah. See README.md beside it.
 *
 *   --only gateway,auth   these alone
 *   --tag 1.2.3           the version in package.json by default
 *   --into FOLDER         writes each as a docker-archive, too
 *   --builder docker      or buildah; whichever is there by default
 *   --storage FOLDER      where buildah keeps its images
 *   --signing-key FILE    the key that signs the agents' archives; without it one is made for this build
 *   --registry NAME       prefix of `sonde/gateway`: docker.io by default
 *   --push                pushes each to that registry
 *   --arch amd64,arm64    for these processors; this machine's by default
 *   --layout FOLDER       adds an index of each, for those processors, to an OCI layout (with buildah)
 */
import { StartupError } from "@sonde/kit/embedded/startup-error";
import { buildImages } from "./src/images/build-all.ts";
import { readOptions } from "./src/images/options.ts";

try {
  await buildImages(readOptions(process.argv.slice(2)));
} catch (fault) {
  // Faults that the user can fix are printed without a stack.
  const text = fault instanceof StartupError ? fault.message : fault instanceof Error ? fault.stack : String(fault);
  process.stderr.write(`${text}\n`);
  process.exit(1);
}
