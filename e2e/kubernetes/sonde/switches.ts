import type { Monitor } from "@sonde/proto/http/monitors/monitors";
import type { Api } from "@sonde/testing/api";
import type { ClusterTarget } from "../cluster/target.ts";
import { until } from "../cluster/wait.ts";

export interface Switch {
  monitorId: number;
  fail(): Promise<void>;
  heal(): Promise<void>;
  becomes(status: "up" | "down"): Promise<void>;
}

const intervalSeconds = 5;
/** The load's writers count their keys up from the same number. */
const beyondLoad = 50_000;

/** Creates monitors that are checked every five seconds without retries. Resolves when all are up. */
export async function createSwitches(api: Api, target: ClusterTarget, from: number, count: number): Promise<Switch[]> {
  const firstKey = from + beyondLoad;
  const switches: Switch[] = [];
  for (let key = firstKey; key < firstKey + count; key++) {
    const { monitor } = await api.send<{ monitor: Monitor }>("POST", "/api/monitors", {
      name: `Switch ${key}`,
      url: `${target.namedUrl}/switch/${key}`,
      interval: intervalSeconds / 60,
      retries: 0,
    });
    switches.push({
      monitorId: monitor.id,
      fail: () => target.turn(key, false),
      heal: () => target.turn(key, true),
      becomes: (status) =>
        until(`monitor ${monitor.id} ${status}`, async () => {
          const { monitor: now } = await api.get<{ monitor: Monitor }>(`/api/monitors/${monitor.id}`);
          return now.status === status ? now : undefined;
        }).then(() => {}),
    });
  }
  await Promise.all(switches.map(({ becomes }) => becomes("up")));
  return switches;
}
