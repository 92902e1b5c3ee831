// `npm run verify`: everything about the change that can be told without running it. Plain JavaScript, since it
// installs what is missing before the pinned Node can take over.
import { spawn } from "node:child_process";
import { delimiter, join } from "node:path";
import { install, pinnedNode, root } from "../local/prepare.mjs";

await install();
const child = spawn(pinnedNode, [join(root, "deploy/verify/verify.ts"), ...process.argv.slice(2)], {
  cwd: root,
  stdio: "inherit",
  env: { ...process.env, PATH: [join(root, "node_modules/.bin"), process.env.PATH].join(delimiter) },
});
child.once("exit", (code) => process.exit(code ?? 1));
