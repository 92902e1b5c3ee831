import type { Clock } from "@sonde/kit/clock";

/** One check on its way to a host. */
export interface Attempt {
  host: HostRecord;
  startedMs: number;
  /** Undefined while under way; whether the host showed a sign of life. */
  reached: boolean | undefined;
}

interface HostRecord {
  name: string;
  aliveMs: number;
  seenIn: number;
}

/** Tells a dead host from a runner that reaches nobody. */
export interface Reach {
  begin(host: string): Attempt;
  end(attempt: Attempt, reached: boolean): void;
  /**
   * Whether more than half of the other hosts, of at least five that were tried since this attempt began, were as
   * silent as its own: then the silence is ours.
   */
  isCutOff(attempt: Attempt): boolean;
}

const minHosts = 5;
const maxAttempts = 1024;
/** An attempt that is younger says nothing yet. */
const patienceMs = 1000;

export function watchReach(clock: Clock): Reach {
  const hosts = new Map<string, HostRecord>();
  const recent: Attempt[] = [];
  let next = 0;
  let evaluation = 0;

  return {
    begin(name) {
      let host = hosts.get(name);
      if (host === undefined) {
        if (hosts.size >= 100_000) hosts.clear();
        hosts.set(name, (host = { name, aliveMs: Number.NEGATIVE_INFINITY, seenIn: 0 }));
      }
      const attempt: Attempt = { host, startedMs: clock.elapsedMs(), reached: undefined };
      recent[next] = attempt;
      next = (next + 1) % maxAttempts;
      return attempt;
    },
    end(attempt, reached) {
      attempt.reached = reached;
      if (reached) attempt.host.aliveMs = clock.elapsedMs();
    },
    isCutOff({ host: own, startedMs }) {
      evaluation++;
      own.seenIn = evaluation;
      const untilMs = clock.elapsedMs() - patienceMs;
      let alive = 0;
      let silent = 0;
      for (let back = 1; back <= recent.length; back++) {
        const attempt = recent[(next - back + recent.length) % recent.length]!;
        if (attempt.startedMs < startedMs) break;
        if (attempt.host.seenIn === evaluation) continue;
        if (attempt.reached === undefined && attempt.startedMs > untilMs) continue;
        attempt.host.seenIn = evaluation;
        if (attempt.host.aliveMs >= startedMs) alive++;
        else silent++;
      }
      return alive + silent >= minHosts && silent > alive;
    },
  };
}
