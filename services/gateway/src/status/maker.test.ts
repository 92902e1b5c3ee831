import { gzipSync } from "node:zlib";
import { afterAll, expect, test } from "vitest";
import { demoNowMs, demoSnapshot, demoStates } from "../testing/demo-status.ts";
import { createMaker } from "./maker.ts";
import type { Wanted } from "./wanted.ts";

const maker = createMaker();
afterAll(() => maker.stop());

const language = "en-US";
const wanted: Wanted[] = [
  ...(["page", "history", "feed"] as const).map((kind) => ({ kind, language }) as const),
  { kind: "incident", id: "p11", language },
];

test.each([
  ["50,000 line breaks", "\n".repeat(50_000)],
  ["50,000 blank lines with spaces", " \n".repeat(50_000)],
  ["50,000 tags' ends", ">\n".repeat(50_000)],
  ["line breaks that XML and HTML know differently", "\r\n\u2028\f".repeat(25_000)],
])("updates of %s take no more than a document may", async (what, filling) => {
  const html = `<pre><code>${filling}a</code></pre>`;
  const update = { at: demoSnapshot.incidents[0]!.openedAt, state: "resolved" as const, text: "a", html };
  const incidents = demoSnapshot.incidents.map((incident) => ({
    ...incident,
    updates: Array.from({ length: 10 }, () => update),
    postMortem: update,
  }));
  const page = { key: what, bytes: gzipSync(JSON.stringify({ ...demoSnapshot, incidents })) };
  const around = { publicUrl: null, assets: { script: null, style: null }, nowMs: demoNowMs };
  for (const one of wanted) {
    // A document that uses up its budget of processor time is refused.
    const { made } = await maker.make({ page, states: demoStates, wanted: one, around });
    expect(made?.bytes.length).toBeGreaterThan(1_000);
  }
});
