import { setTimeout as sleep } from "node:timers/promises";
import { apiOf } from "@sonde/testing/api";
import type { Attack } from "../attack.ts";
import { countResponses, post } from "../responses.ts";
import { registerHostileAgent } from "../hostile-agent.ts";

const reports = 40;
const disksAtOnce = 100;

/** An agent reports full disks under ever new names, each above its threshold twice. */
export const mountNames: Attack = async (attacked) => {
  const key = await registerHostileAgent(attacked);
  const responses = countResponses();
  for (let n = 0; n < reports; n++) {
    const disks = Array.from({ length: disksAtOnce }, (_, disk) => ({
      device: "/dev/x",
      mountPoint: `/${Math.floor(n / 2)}-${disk}`,
      fsType: "ext4",
      total: 100,
      used: 99,
      free: 1,
      usage: 99,
    }));
    const sample = { at: new Date().toISOString(), disks, bootId: "x", sequence: n };
    responses.add(await post(`${attacked.url}/agent/v1/report`, key, { samples: [sample] }));
    await sleep(250);
  }
  const { incidents, total } = await apiOf(attacked.url, attacked.token).get<{ incidents: unknown[]; total: number }>(
    "/api/incidents?pageSize=200",
  );
  return `${responses.text()}; ${total ?? incidents.length} incidents in total`;
};
