// Loaded into a measured process. Reports CPU time and timer lateness on request. Its timer starts with the first
// request, so that other benchmarks do not pay for it.
const everyMs = 5;
let latenessMs: number[] = [];
let timer: NodeJS.Timeout | undefined;

function watchTimers(): NodeJS.Timeout {
  let dueMs = performance.now() + everyMs;
  const tick = () => {
    const nowMs = performance.now();
    latenessMs.push(Math.max(0, nowMs - dueMs));
    dueMs = nowMs + everyMs;
  };
  return setInterval(tick, everyMs).unref();
}

process.on("message", (message) => {
  if (message === "cpu") {
    const { user, system } = process.cpuUsage();
    process.send?.((user + system) / 1000);
  }
  if (message === "lateness") {
    timer ??= watchTimers();
    process.send?.(latenessMs);
    latenessMs = [];
  }
});
