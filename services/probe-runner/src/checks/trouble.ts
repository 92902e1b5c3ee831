import type { Clock } from "@sonde/kit/time/clock";
import type { RunnerTrouble } from "@sonde/proto/http/monitors/monitors";
import { isIP } from "node:net";
import type { ProbeOutcome } from "../probe/probe.ts";

/** Problems that users can fix. Others, such as a stalled event loop, are transient. */
const kinds: Readonly<Record<string, RunnerTrouble>> = {
  "the resolver is out of reach": "names",
  "no known name is found": "names",
  "no route": "network",
  "the router does not answer": "network",
  "no known host answers": "network",
};
export const troubleOf = (trouble: string): RunnerTrouble | undefined => kinds[trouble];

// A single check may fail by accident.
const minChecks = 2;
// The problem counts as over if no check has shown it for this long.
const holdsMs = 600_000;

/** Tracks what prevents this runner from checking, until a check that depends on the same thing gets a result. */
export function watchTrouble(clock: Clock) {
  const seen = new Map<RunnerTrouble, { checks: number; lastMs: number }>();
  return {
    /** @param host a name or address, with an optional port */
    note(host: string, outcome: ProbeOutcome) {
      if (outcome.status === "none") {
        const kind = troubleOf(outcome.trouble);
        if (kind !== undefined) {
          seen.set(kind, { checks: (seen.get(kind)?.checks ?? 0) + 1, lastMs: clock.elapsedMs() });
        }
      } else if (seen.size > 0 && outcome.silence === undefined) {
        seen.delete("network");
        if (!isAddress(host)) seen.delete("names");
      }
    },
    present(): RunnerTrouble | undefined {
      const isPresent = ({ checks, lastMs }: { checks: number; lastMs: number }) =>
        checks >= minChecks && clock.elapsedMs() - lastMs < holdsMs;
      return [...seen].find(([, found]) => isPresent(found))?.[0];
    },
  };
}

const isAddress = (host: string) =>
  isIP(host.replace(/^\[([^\]]+)\](:\d+)?$/, "$1").replace(/^([^:]+):\d+$/, "$1")) !== 0;
