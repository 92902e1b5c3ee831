import { isMainThread } from "node:worker_threads";

// Entry of the bundle in one file (deploy/bundle/src/single-file.ts), which is also its worker thread.
if (isMainThread) {
  const { runProgram } = await import("./main.ts");
  await runProgram();
} else {
  await import("./probe/judging-thread.ts");
}
