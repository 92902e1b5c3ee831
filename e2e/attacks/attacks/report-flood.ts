import { countResponses, post } from "../responses.ts";
import type { Attack } from "../attack.ts";
import { registerHostileAgent } from "../hostile-agent.ts";

const writers = 32;
const forMs = 15_000;
const samples = 500;
const disksOfSample = 13;

/** An agent sends valid JSON reports of nearly the permitted 4 MiB, back to back, over 32 connections. */
export const reportFlood: Attack = async (attacked) => {
  const key = await registerHostileAgent(attacked);
  const disk = { device: "/dev/x", fsType: "ext4", total: 100, used: 50, free: 50, usage: 50 };
  const disks = Array.from({ length: disksOfSample }, (_, n) => ({
    ...disk,
    mountPoint: `/${"x".repeat(490)}${n}`,
  }));
  const report = Array.from({ length: samples }, (_, n) => ({
    at: new Date(Date.now() - n * 1000).toISOString(),
    bootId: "x",
    sequence: samples - n,
    disks,
  }));
  const body = Buffer.from(JSON.stringify({ samples: report }));
  const responses = countResponses();
  const untilMs = Date.now() + forMs;
  const write = async () => {
    while (Date.now() < untilMs) responses.add(await post(`${attacked.url}/agent/v1/report`, key, body));
  };
  await Promise.all(Array.from({ length: writers }, write));
  return `reports of ${(body.length / 2 ** 20).toFixed(1)} MiB: ${responses.text()}`;
};
