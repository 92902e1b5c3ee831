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

test("the thread starts with the first job and answers in order", async () => {
  const worker = setUp();
  expect(worker.isRunning()).toBe(false);
  const answers = await Promise.all(["a", "b", "c"].map((echo) => worker.run({ echo })));
  expect(answers.map((done) => done.status === "done" && done.answer)).toEqual(["a", "b", "c"]);
  expect(worker.isRunning()).toBe(true);
});

test("a job that uses up its budget is ended, with how far it had come, while our own loop turns; the next one is answered", async () => {
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

test("a job that uses up the thread's memory is ended like one that takes too long", async () => {
  const worker = setUp({ budgetMs: 60_000 });
  expect(await worker.run({ grow: true })).toEqual({ status: "late", progress: 7 });
  expect(await worker.run({ echo: "after" })).toMatchObject({ status: "done" });
});

test("a thread that fails or ends leaves its job without an answer, and the next one is answered", async () => {
  const worker = setUp();
  expect(await worker.run({ fail: true })).toEqual({ status: "none", trouble: "Error: no answer" });
  expect(await worker.run({ leave: true })).toMatchObject({ status: "none" });
  expect(await worker.run({ echo: "after" })).toMatchObject({ status: "done" });
  const missing = setUp({ thread: new URL("./not-there.ts", import.meta.url) });
  expect(await missing.run({ echo: "a" })).toMatchObject({ status: "none" });
});

test("more jobs than may wait are turned away, and those that waited too long are given up", async () => {
  const worker = setUp({ maxWaiting: 2, maxWaitMs: 50, budgetMs: 200 });
  // A job may not wait for as long as a thread takes to start on a busy machine.
  await expect.poll(async () => (await worker.run({ echo: "warm" })).status).toBe("done");
  const spinning = worker.run({ spin: true });
  const waiting = [worker.run({ echo: "a" }), worker.run({ echo: "b" })];
  const busy = { status: "none", trouble: "the worker thread is busy" };
  expect(await worker.run({ echo: "c" })).toEqual(busy);
  expect(await spinning).toMatchObject({ status: "late" });
  expect(await Promise.all(waiting)).toEqual([busy, busy]);
});

test("a job may use a step's budget from each progress to the next, and the whole budget in all", async () => {
  const worker = setUp({ budgetMs: 60_000, stepBudgetMs: 1_200 });
  expect(await worker.run({ steps: 6, stepMs: 250 })).toMatchObject({ status: "done", answer: "6 steps" });
  expect(await worker.run({ spin: true })).toEqual({ status: "late", progress: 7 });
  const short = setUp({ budgetMs: 400 });
  expect(await short.run({ steps: 60, stepMs: 100 })).toMatchObject({ status: "late" });
});

test("a thread that is never ready keeps no job for ever", async () => {
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

test("where no thread can be started a job is answered all the same", async () => {
  const worker = setUp({ thread: new URL("http://192.0.2.1/") });
  expect(await worker.run({ echo: "a" })).toMatchObject({ status: "none" });
});

test("a thread that cannot be replaced leaves nobody who waits without an answer", async () => {
  const worker = setUp();
  const jobs = [worker.run({ echo: "a" }), worker.run({ spin: true }), worker.run({ echo: "b" })];
  await jobs[0];
  // From here on no thread can be started, as if the system had none left.
  const started = vi.spyOn(URL.prototype, "protocol", "get").mockReturnValue("http:");
  onTestFinished(() => started.mockRestore());
  expect(await Promise.all(jobs.slice(1))).toMatchObject([{ status: "late" }, { status: "none" }]);
});

test("no more characters may wait than are allowed", async () => {
  const worker = setUp({ maxCharacters: 100 });
  const jobs = [60, 40, 1].map((characters) => worker.run({ echo: String(characters) }, { characters }));
  expect((await Promise.all(jobs)).map(({ status }) => status)).toEqual(["done", "done", "none"]);
  expect(await worker.run({ echo: "after" }, { characters: 100 })).toMatchObject({ status: "done" });
});

test("a thread without work ends, and comes back with the next job", async () => {
  const worker = setUp({ idleMs: 1 });
  await worker.run({ echo: "a" });
  await expect.poll(() => worker.isRunning()).toBe(false);
  expect(await worker.run({ echo: "b" })).toMatchObject({ answer: "b" });
});

test("stopping leaves no job waiting", async () => {
  const worker = setUp();
  const jobs = [worker.run({ spin: true }), worker.run({ echo: "a" })];
  worker.stop();
  for (const done of await Promise.all(jobs)) expect(done).toEqual({ status: "none", trouble: "stopping" });
});
