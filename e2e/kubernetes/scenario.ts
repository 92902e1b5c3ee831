import type { Ground } from "./ground.ts";
import type { Row } from "./report.ts";

/** One proof. It leaves Sonde as usable as it found it. */
export interface Scenario {
  /** By which it is chosen. */
  name: string;
  /** What it shows, in a line. */
  about: string;
  /** @throws Error where it could not be carried out, which counts as a row that does not hold */
  run(ground: Ground): Promise<Row[]>;
}
