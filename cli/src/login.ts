import { chmodSync, mkdirSync, writeFileSync } from "node:fs";
import { dirname } from "node:path";
import { createInterface } from "node:readline";
import { loginFile, parseServerAddress } from "./address.ts";
import { request } from "./api.ts";
import { exitCodes, failed, type Terminal } from "./terminal.ts";

/** Reads a key from standard input, checks it with Sonde, and stores it readable only by this user. */
export async function login(address: string | undefined, terminal: Terminal): Promise<typeof exitCodes.done> {
  const given = address ?? terminal.env.SONDE_URL;
  if (!given) throw failed("No address given: run sonde login https://sonde.example.com");
  const url = parseServerAddress(given);
  const key = (terminal.env.SONDE_KEY ?? (await readKey(terminal))).trim();
  if (!/^sonde_\w+$/.test(key)) throw failed("This is not a Sonde API key; keys start with sonde_");
  // A rejected key throws. A key without permission for this request is still valid.
  const answer = await request({ url, key }, "GET", "/api/monitors?pageSize=1");
  if (!answer.ok && answer.status !== 403) throw failed(`${url} returned: ${answer.body.message}`);
  const file = loginFile(terminal.env);
  mkdirSync(dirname(file), { recursive: true, mode: 0o700 });
  writeFileSync(file, `${JSON.stringify({ url, key })}\n`, { mode: 0o600 });
  chmodSync(file, 0o600); // Also for an existing file.
  terminal.out(`Logged in to ${url}. The key is stored in ${file}.`);
  return exitCodes.done;
}

/** Reads the first line of standard input; a terminal does not echo it. */
async function readKey({ stdin, err }: Terminal): Promise<string> {
  if (stdin.isTTY === true) {
    const lines = createInterface({ input: stdin as unknown as NodeJS.ReadableStream, terminal: true });
    err("API key with scope config (Profile, API keys), not shown as you type:");
    return new Promise((done) => {
      lines.once("line", (line) => {
        done(line);
        lines.close();
      });
      lines.once("close", () => done(""));
    });
  }
  let text = "";
  for await (const chunk of stdin) {
    text += Buffer.from(chunk).toString("utf8");
    if (text.includes("\n") || text.length > 1000) break;
  }
  return text.split("\n", 1)[0] ?? "";
}
