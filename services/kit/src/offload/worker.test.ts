import { expect, onTestFinished, test, vi } from "vitest";
import { endlessPatience } from "./patience.testing.ts";
import { createWorker, type WorkerOptions } from "./worker.ts";
import type { TestJob } from "./worker.testing.ts";

function setUp(options: Partial<WorkerOptions> = {}) {
  const thread = new URL("./worker.testing.ts", import.meta.url);
  const worker = createWorker<TestJob, string>({ thread, name: "test", budgetMs: 100, ...endlessPatience, ...options });
  onTestFinished(worker.stop);
  const run = (job: TestJob, expected = {}) => worker.run(job, { characters: 0, ...expected });
  return { ...worker, run };
}

test("the thread starts with the first job and runs jobs in order", async () => {
  const worker = setUp();
  expect(worker.isRunning()).toBe(false);
  const answers = await Promise.all(["a", "b", "c"].map((echo) => worker.run({ echo })));
  expect(answers.map((done) => done.status === "done" && done.answer)).toEqual(["a", "b", "c"]);
  expect(worker.isRunning()).toBe(true);
});

test("a job over its budget is stopped with its progress, without blocking our event loop; the next one runs", async () => {
  const worker = setUp();
  let turns = 0;
  const turning = setInterval(() => turns++, 1);
  const spinning = worker.run({ spin: true });
  const after = worker.run({ echo: "after" });
  expect(await spinning).toEqual({ status: "late", progress: 7 });
  clearInterval(turning);
  expect(turns).toBeGreaterThan(10);
  expect(await after).toMatchObject({ status: "done", answer: "after" });
});

test("a job over the memory limit is reported like one that takes too long", async () => {
  const worker = setUp({ budgetMs: 60_000 });
  expect(await worker.run({ grow: true })).toEqual({ status: "late", progress: 7 });
  expect(await worker.run({ echo: "after" })).toMatchObject({ status: "done" });
});

test("a job whose thread fails or exits has no result, and the next one runs", async () => {
  const worker = setUp();
  expect(await worker.run({ fail: true })).toEqual({ status: "none", trouble: "Error: no answer" });
  expect(await worker.run({ leave: true })).toMatchObject({ status: "none" });
  expect(await worker.run({ echo: "after" })).toMatchObject({ status: "done" });
  const missing = setUp({ thread: new URL("./not-there.ts", import.meta.url) });
  expect(await missing.run({ echo: "a" })).toMatchObject({ status: "none" });
});

test("jobs above the queue limit are rejected, and those that wait too long are given up", async () => {
  const worker = setUp({ maxWaiting: 2, maxWaitMs: 50, budgetMs: 200 });
  // Wait for the thread to start: on a busy machine that takes longer than a job may wait.
  await expect.poll(async () => (await worker.run({ echo: "warm" })).status).toBe("done");
  const spinning = worker.run({ spin: true });
  const waiting = [worker.run({ echo: "a" }), worker.run({ echo: "b" })];
  const busy = { status: "none", trouble: "the worker thread is busy" };
  expect(await worker.run({ echo: "c" })).toEqual(busy);
  expect(await spinning).toMatchObject({ status: "late" });
  expect(await Promise.all(waiting)).toEqual([busy, busy]);
});

test("a job may use the step budget between progress reports, and the whole budget in total", async () => {
  const worker = setUp({ budgetMs: 60_000, stepBudgetMs: 1_200 });
  expect(await worker.run({ steps: 6, stepMs: 250 })).toMatchObject({ status: "done", answer: "6 steps" });
  expect(await worker.run({ spin: true })).toEqual({ status: "late", progress: 7 });
  const short = setUp({ budgetMs: 400 });
  expect(await short.run({ steps: 60, stepMs: 100 })).toMatchObject({ status: "late" });
});

test("a thread that never becomes ready does not block its job forever", async () => {
  const thread = new URL("data:text/javascript,setInterval(()=>{},1000)");
  const waiting = setUp({ thread, maxWaitMs: 50 });
  expect(await waiting.run({ echo: "a" })).toEqual({ status: "none", trouble: "the worker thread is busy" });
  expect(waiting.isRunning()).toBe(true);
  const starting = setUp({ thread, maxStartMs: 50 });
  const trouble = "the worker thread did not start in time";
  const none = { status: "none", trouble };
  expect(await Promise.all([starting.run({ echo: "a" }), starting.run({ echo: "b" })])).toEqual([none, none]);
  expect(starting.isRunning()).toBe(false);
});

test("a job gets a result if no thread can be started", async () => {
  const worker = setUp({ thread: new URL("http://192.0.2.1/") });
  expect(await worker.run({ echo: "a" })).toMatchObject({ status: "none" });
});

test("waiting jobs get a result if the thread cannot be replaced", async () => {
  const worker = setUp();
  const jobs = [worker.run({ echo: "a" }), worker.run({ spin: true }), worker.run({ echo: "b" })];
  await jobs[0];
  // Prevents new threads, as if the system had none left.
  const started = vi.spyOn(URL.prototype, "protocol", "get").mockReturnValue("http:");
  onTestFinished(() => started.mockRestore());
  expect(await Promise.all(jobs.slice(1))).toMatchObject([{ status: "late" }, { status: "none" }]);
});

test("the characters of queued jobs are limited", async () => {
  const worker = setUp({ maxCharacters: 100 });
  const jobs = [60, 40, 1].map((characters) => worker.run({ echo: String(characters) }, { characters }));
  expect((await Promise.all(jobs)).map(({ status }) => status)).toEqual(["done", "done", "none"]);
  expect(await worker.run({ echo: "after" }, { characters: 100 })).toMatchObject({ status: "done" });
});

test("an idle thread ends, and the next job starts a new one", async () => {
  const worker = setUp({ idleMs: 1 });
  await worker.run({ echo: "a" });
  await expect.poll(() => worker.isRunning()).toBe(false);
  expect(await worker.run({ echo: "b" })).toMatchObject({ answer: "b" });
});

test("stopping resolves all jobs", async () => {
  const worker = setUp();
  const jobs = [worker.run({ spin: true }), worker.run({ echo: "a" })];
  worker.stop();
  for (const done of await Promise.all(jobs)) expect(done).toEqual({ status: "none", trouble: "stopping" });
});
