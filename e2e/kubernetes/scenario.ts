import type { Ground } from "./ground.ts";
import type { Row } from "./report.ts";

/** Must leave the installation usable for the next scenario. */
export interface Scenario {
  name: string;
  about: string;
  /** @throws Error if the scenario could not run, which counts as a failed row */
  run(ground: Ground): Promise<Row[]>;
}
