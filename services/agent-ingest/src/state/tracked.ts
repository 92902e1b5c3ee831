import type { AgentStatus } from "@sonde/proto/http/agents";
import type { Sample } from "@sonde/proto/gen/agents/v1/samples";

/** How many samples in a row were above a metric's threshold, and how many at or below it. */
export type Run = { above: number; under: number };

/** What the newest fresh sample of an agent said. */
export type Reading = {
  /** When the server heard it, by the server's clock. */
  lastSeenMs: number;
  /** The sample's own instant, corrected. */
  atMs: number;
  bootId: string;
  sequence: number;
  skewMs: number;
  runs: Readonly<Record<string, Run>>;
  sample: Sample;
};

/** An agent as the owner of its partition holds it. */
export type Tracked = {
  id: number;
  intervalMs: number;
  status: AgentStatus;
  statusSinceMs: number;
  /** Nothing up to this place of this stream decides again. */
  stateStream: string;
  stateMark: number;
  reading: Reading | null;
  /** Metrics with an open incident. */
  open: Set<string>;
};

const placesAMessage = 10_000;

/** A sample's place in its stream: the message's sequence, and the sample's within it. */
export const markOf = (sequence: number, index: number): number =>
  sequence * placesAMessage + Math.min(index, placesAMessage - 1);

/** The place behind everything of a message. */
export const endOf = (sequence: number): number => markOf(sequence, placesAMessage - 1);
