import { DefaultReporter, type TestModule, type TestSpecification } from "vitest/node";

type Progress = { files: number; done: number; failed: number; startedMs: number; endedMs: number };
const reportEveryMs = 10_000;
const slowestShown = 15;

/** Prints progress by project, failures, and at the end the time of each project and of the slowest files. */
export default class ProgressReporter extends DefaultReporter {
  readonly #projects = new Map<string, Progress>();
  #modules: TestModule[] = [];
  #startedMs = 0;
  #reportedMs = 0;

  constructor() {
    super({ summary: false });
  }

  override onTestRunStart(specifications: readonly TestSpecification[]): void {
    super.onTestRunStart(specifications);
    this.#projects.clear();
    this.#modules = [];
    this.#startedMs = this.#reportedMs = Date.now();
    for (const { project } of specifications) this.#of(project.name).files += 1;
  }

  onTestModuleStart(testModule: TestModule): void {
    this.#of(testModule.project.name).startedMs ||= Date.now();
  }

  override onTestModuleEnd(testModule: TestModule): void {
    const { name } = testModule.project;
    this.#modules.push(testModule);
    const progress = this.#of(name);
    progress.done += 1;
    progress.endedMs = Date.now();
    if (testModule.state() === "failed") {
      progress.failed += 1;
      super.onTestModuleEnd(testModule);
    }
    const isLast = progress.done === progress.files;
    if (!isLast && Date.now() - this.#reportedMs < reportEveryMs) return;
    this.#reportedMs = Date.now();
    const failed = progress.failed > 0 ? `, ${progress.failed} failed` : "";
    const took = isLast ? ` in ${minutes(progress.endedMs - progress.startedMs)}` : "";
    this.log(
      `[${minutes(Date.now() - this.#startedMs)}] ${name}: ${progress.done} of ${progress.files} files${took}${failed}`,
    );
  }

  override onTestRunEnd(...end: Parameters<DefaultReporter["onTestRunEnd"]>): void {
    super.onTestRunEnd(...end);
    const took = [...this.#projects].map(([name, { startedMs, endedMs }]) => `${name} ${minutes(endedMs - startedMs)}`);
    this.log(`Minutes by project: ${took.join(", ")}`);
    const slowest = this.#modules.toSorted((one, other) => durationOf(other) - durationOf(one)).slice(0, slowestShown);
    this.log(
      `Slowest files:\n${slowest.map((file) => `  ${minutes(durationOf(file))} ${file.relativeModuleId}`).join("\n")}`,
    );
  }

  #of(name: string): Progress {
    const progress = this.#projects.get(name) ?? { files: 0, done: 0, failed: 0, startedMs: 0, endedMs: 0 };
    this.#projects.set(name, progress);
    return progress;
  }
}

/** Milliseconds, hooks included. */
const durationOf = (testModule: TestModule): number => testModule.diagnostic().duration;

/** @returns for example `3:07` */
function minutes(durationMs: number): string {
  const seconds = Math.round(durationMs / 1_000);
  return `${Math.floor(seconds / 60)}:${String(seconds % 60).padStart(2, "0")}`;
}
