import type { Clock } from "@sonde/kit/time/clock";
import type { RunnerTrouble } from "@sonde/proto/http/monitors/monitors";
import { isIP } from "node:net";
import type { ProbeOutcome } from "../probe/probe.ts";

/** The troubles of an outcome that people can do something about; others, such as a loop that stood still, pass. */
const kinds: Readonly<Record<string, RunnerTrouble>> = {
  "the resolver is out of reach": "names",
  "no known name is found": "names",
  "no route": "network",
  "the router does not answer": "network",
  "no known host answers": "network",
};
export const troubleOf = (trouble: string): RunnerTrouble | undefined => kinds[trouble];

/** One check may fail by accident. */
const minChecks = 2;
/** Without a check that shows it again it is over. */
const holdsMs = 600_000;

/** What keeps this runner from checking, from the outcomes of its checks, until one of the same sort has a result. */
export function watchTrouble(clock: Clock) {
  const seen = new Map<RunnerTrouble, { checks: number; lastMs: number }>();
  return {
    /** @param host as a target has it: a name or an address, a port may follow */
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
