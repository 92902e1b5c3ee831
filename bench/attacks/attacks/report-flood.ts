import type { Attack } from "../attack.ts";
import { countAnswers, post } from "../answers.ts";
import { hostileAgent } from "../hostile-agent.ts";

const writers = 32;
const forMs = 15_000;

/** One agent's key: JSON reports of nearly the permitted size, without pause, over 32 connections. */
export const reportFlood: Attack = async (attacked) => {
  const key = await hostileAgent(attacked);
  const filler = Array.from({ length: 9_000 }, (_, n) => ({
    at: new Date(n * 1000).toISOString(),
    bootId: "x",
    sequence: n,
  }));
  const body = Buffer.from(JSON.stringify({ samples: filler }));
  const answers = countAnswers();
  const untilMs = Date.now() + forMs;
  const write = async () => {
    while (Date.now() < untilMs) answers.add(await post(`${attacked.url}/agent/v1/report`, key, body));
  };
  await Promise.all(Array.from({ length: writers }, write));
  return `reports of ${body.length} bytes: ${answers.text()}`;
};
