// `npm run images`: installs what is missing, then builds images on the pinned Node (images.ts). Plain JavaScript; see
// deploy/local/prepare.mjs.
import { spawn } from "node:child_process";
import { join } from "node:path";
import { install, pinnedNode, root } from "../local/prepare.mjs";

await install();
const images = spawn(pinnedNode, [join(root, "deploy/docker/images.ts"), ...process.argv.slice(2)], {
  stdio: "inherit",
});
for (const signal of ["SIGINT", "SIGTERM"]) process.on(signal, () => images.kill(signal));
images.once("exit", (code) => process.exit(code ?? 1));
