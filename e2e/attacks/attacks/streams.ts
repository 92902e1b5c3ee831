import { setTimeout as sleep } from "node:timers/promises";
import type { Attack } from "../attack.ts";
import { countAnswers } from "../answers.ts";

const streamsAtOnce = 1_000;
const forMs = 15_000;

/** A user: a thousand event streams, none of which is ever read. */
export const streams: Attack = async ({ url, token }) => {
  const answers = countAnswers();
  const controller = new AbortController();
  const open = Array.from({ length: streamsAtOnce }, () =>
    fetch(`${url}/api/events`, { headers: { authorization: `Bearer ${token}` }, signal: controller.signal }).then(
      ({ status }) => answers.add(status),
      () => answers.add(0),
    ),
  );
  await Promise.race([Promise.all(open), sleep(forMs)]);
  await sleep(forMs);
  const text = answers.text();
  controller.abort();
  return text;
};
