import { setTimeout as sleep } from "node:timers/promises";
import { apiOf } from "@sonde/testing/api";
import { countResponses } from "../responses.ts";
import type { Attack } from "../attack.ts";

const announcements = 33;
const publishedWithinMs = 15_000;
const code = (lineBreaks: number) => `\`\`\`\n${"\n".repeat(lineBreaks)}a\n\`\`\``;

/** A user publishes post-mortems of blank lines, then anonymous visitors fetch every document that shows one. */
export const blankLines: Attack = async ({ url, token }) => {
  const api = apiOf(url, token);
  const ids: number[] = [];
  for (let n = 0; n < announcements; n++) {
    const { announcement } = await api.send<{ announcement: { id: number } }>("POST", "/api/announcements", {
      title: "Blank",
      impact: "minor",
      text: code(9_900),
    });
    await api.send("PUT", `/api/announcements/${announcement.id}`, { postMortem: code(49_900) });
    ids.push(announcement.id);
  }
  const ask = async (path: string) => {
    const startedMs = performance.now();
    const response = await fetch(url + path).catch(() => null);
    await response?.arrayBuffer();
    return { status: response?.status ?? 0, tookMs: performance.now() - startedMs };
  };
  const untilMs = performance.now() + publishedWithinMs;
  while ((await ask(`/status/incidents/p${ids.at(-1)}`)).status !== 200 && performance.now() < untilMs)
    await sleep(250);
  const paths = ids.flatMap((id) => ["zh-CN", "en-US"].map((lang) => `/status/incidents/p${id}?lang=${lang}`));
  const responses = countResponses();
  const times = await Promise.all(
    paths.map(async (path) => {
      const { status, tookMs } = await ask(path);
      responses.add(status);
      return tookMs;
    }),
  );
  for (const id of ids) await api.send("DELETE", `/api/announcements/${id}`);
  return `${responses.text()}, slowest after ${Math.max(...times).toFixed(0)} ms`;
};
