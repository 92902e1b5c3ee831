/**
 * `npm run release -- 1.0.1`: checks the tree, writes version and changelog, commits and tags them, and builds `dist/`.
 * Nothing is published: docs/releasing.md says how that is done.
 *
 *   (no version)          builds the version that the tree has, such as one whose build failed
 *   --check               changes and commits nothing: with a version, checks that it could be released
 *   --only gateway,auth   these images alone, for a trial; without `agents` there are no archives
 *   --storage FOLDER      where buildah keeps its images
 *   --signing-key FILE    the key that signs the agents' archives (`npm run build:agent` makes one)
 *
 * `tools.ts` lists the programs that it needs.
 */
import { join } from "node:path";
import { parseArgs } from "node:util";
import { StartupError } from "@sonde/kit/embedded/startup-error";
import { root } from "@sonde/bundle/packages";
import { makeDist } from "./dist.ts";
import { checkTools } from "./tools.ts";
import { checkTree, commitRelease, committedAt, notesOfTree, planRelease } from "./tree.ts";
import { versionOf } from "./versions.ts";

const say = (line: string) => console.log(line);

async function release(args: readonly string[]): Promise<void> {
  const { values, positionals } = parse(args);
  const [version] = positionals;
  if (positionals.length > 1) throw new StartupError("One version at most.");
  await checkTools();
  say("Checking the tree");
  await checkTree(root);
  if (version !== undefined) {
    const changelog = await planRelease(root, version, new Date().toISOString().slice(0, 10));
    if (values.check) say(`${version} could be released; the tree stays as it is`);
    else {
      say(`Writing ${version}, and committing it`);
      await commitRelease(root, version, changelog);
    }
  }
  const dist = join(root, "dist");
  const present = await versionOf(root);
  const notes = await notesOfTree(root);
  const { check: _check, ...forImages } = values;
  await makeDist(
    {
      root,
      dist,
      version: present,
      epochSeconds: await committedAt(root),
      notes,
      forImages: Object.entries(forImages).flatMap(([name, value]) => [`--${name}`, value]),
    },
    say,
  );
  say(`dist/ has ${present}. Nothing was published: see docs/releasing.md.`);
}

function parse(args: readonly string[]) {
  try {
    return parseArgs({
      args: [...args],
      allowPositionals: true,
      options: {
        check: { type: "boolean", default: false },
        only: { type: "string" },
        storage: { type: "string" },
        "signing-key": { type: "string" },
      },
    });
  } catch (cause) {
    throw new StartupError((cause as Error).message, { cause });
  }
}

try {
  await release(process.argv.slice(2));
} catch (fault) {
  // Faults that the user can fix are printed without a stack.
  const text = fault instanceof StartupError ? fault.message : fault instanceof Error ? fault.stack : String(fault);
  process.stderr.write(`${text}\n`);
  process.exit(1);
}
