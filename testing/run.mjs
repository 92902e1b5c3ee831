// Runs `npm run bench -- NAME`, `npm run test:kills`, `test:attacks` and so on: installs and builds what the program
// needs, then runs it on the pinned Node. Plain JavaScript, because the machine's own Node may run it before anything
// is installed.
import { spawn } from "node:child_process";
import { build, install } from "../deploy/local/prepare.mjs";
import { nodeLauncher, root } from "../deploy/local/steps.mjs";
import { getTools } from "../deploy/local/tools.mjs";

const needsWeb = ["attacks", "machine", "web"];
const needsChromium = ["machine", "web"];

const [folder, name, ...args] = process.argv.slice(2);
await install();
await getTools(needsChromium.includes(name) ? ["chromium"] : [], `${name} cannot run`);
if (needsWeb.includes(name)) await build("web");

const child = spawn(nodeLauncher, [`${folder}/${name}/run.ts`, ...args], { cwd: root, stdio: "inherit" });
// Ctrl-C reaches the whole process group; only signals to this process need forwarding.
process.on("SIGINT", () => {});
process.on("SIGTERM", () => child.kill("SIGTERM"));
child.once("exit", (code) => process.exit(code ?? 1));
