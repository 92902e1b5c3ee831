import { setTimeout as sleep } from "node:timers/promises";
import type { Attack } from "../attack.ts";
import { countResponses } from "../responses.ts";

const streamsAtOnce = 1_000;
const forMs = 15_000;

/** A user opens a thousand event streams and reads none of them. */
export const streams: Attack = async ({ url, token }) => {
  const responses = countResponses();
  const controller = new AbortController();
  const open = Array.from({ length: streamsAtOnce }, () =>
    fetch(`${url}/api/events`, { headers: { authorization: `Bearer ${token}` }, signal: controller.signal }).then(
      ({ status }) => responses.add(status),
      () => responses.add(0),
    ),
  );
  await Promise.race([Promise.all(open), sleep(forMs)]);
  await sleep(forMs);
  const text = responses.text();
  controller.abort();
  return text;
};
