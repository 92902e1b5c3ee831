// Loaded before a process that is measured: tells on demand what CPU it spent, and how late its timers came since it
// was last asked.
const everyMs = 5;
let latenessMs: number[] = [];
let dueMs = performance.now() + everyMs;
setInterval(() => {
  const nowMs = performance.now();
  latenessMs.push(Math.max(0, nowMs - dueMs));
  dueMs = nowMs + everyMs;
}, everyMs).unref();

process.on("message", (message) => {
  if (message !== "look") return;
  const { user, system } = process.cpuUsage();
  process.send?.({ cpuMs: (user + system) / 1000, latenessMs });
  latenessMs = [];
});
