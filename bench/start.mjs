// `npm run bench -- <name>` and `npm run test:kills` and alike: installs and builds what the benchmark lacks, then runs it on the pinned Node. With
// `--against <commit>` it runs in turns on a checkout of that commit and on this tree (against/run.ts). Plain JavaScript:
// the machine's own Node may run it before anything is installed.
import { spawn } from "node:child_process";
import { install, nodeLauncher, root } from "../deploy/local/prepare.mjs";
import { getTools } from "../deploy/local/tools.mjs";
import { build, needs } from "./needs.mjs";

const [name, ...args] = process.argv.slice(2);
await install();
await getTools(needs(name).tools, `${name} cannot run`);
await build(name, root);

const isInTurns = args.some((arg) => /^--against(=|$)/.test(arg));
const script = isInTurns ? ["bench/against/run.ts", name] : [`${needs(name).folder}/${name}/run.ts`];
const bench = spawn(nodeLauncher, [...script, ...args], { cwd: root, stdio: "inherit" });
// Ctrl-C reaches the whole group; what is sent to this process alone is passed on.
process.on("SIGINT", () => {});
process.on("SIGTERM", () => bench.kill("SIGTERM"));
bench.once("exit", (code) => process.exit(code ?? 1));
