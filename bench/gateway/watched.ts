// Loaded before a process that is measured: sends on demand what CPU it spent, and how late its timers came since it
// was last asked. Its own timer runs from the first such question on, so that it counts nowhere else.
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
