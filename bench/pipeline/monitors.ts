import type { Api } from "@sonde/testing/api";

/** Creates monitors through the API up to this number. The nth checks `/ok/<n>` of a target on loopback. */
export async function makeMonitors(
  api: Api,
  port: number,
  { count, intervalSeconds, there = 0 }: { count: number; intervalSeconds: number; there?: number },
): Promise<void> {
  const ids = Array.from({ length: count - there }, (_, index) => there + index + 1);
  const makeNext = async () => {
    for (let id = ids.pop(); id !== undefined; id = ids.pop()) {
      const url = `http://127.0.0.1:${port}/ok/${id}`;
      await api.send("POST", "/api/monitors", { name: `Monitor ${id}`, url, interval: intervalSeconds / 60 });
    }
  };
  await Promise.all(Array.from({ length: 8 }, makeNext));
}
