import { verifyReport } from "@sonde/proto/http/report-proof";
import { readFileSync, statSync } from "node:fs";
import { exitCodes, type ExitCode, failed, type Terminal } from "./terminal.ts";

const maxBytes = 32 * 1024 * 1024;

/** Verifies a report offline. Without `key`, it uses the key in the report, which proves only that the report is consistent. @throws Ending */
export function verify(file: string, { key }: { key?: string }, { out, err }: Terminal): ExitCode {
  const pem = key === undefined ? undefined : readFileSync(key, "utf8");
  if (pem?.includes("PUBLIC KEY") === false) throw failed(`${key} is not a public key in PEM`);
  if (statSync(file).size > maxBytes) throw failed(`${file} is too large to be a report`);
  const { problem, data, fingerprint } = { fingerprint: "", ...verifyReport(readFileSync(file, "utf8"), pem) };
  if (data === undefined) {
    err(`Not verified: ${problem}`);
    return exitCodes.error;
  }
  const first = /^0+$/.test(data.previous);
  out(`Report:   ${data.name}, ${data.period} (${data.from} to ${data.until}), ${data.targets.length} targets`);
  out(`Created:  ${data.createdAt}`);
  out(`Key:      ${fingerprint}`);
  out(`Previous: ${first ? "none, this is the first report" : data.previous}`);
  out(`Last:     ${data.hashes.at(-1) ?? data.previous}`);
  if (pem === undefined)
    out(
      "Unchanged since it was signed with this key. Anyone can make a key: compare it with the one under Reports, or pass that with --key.",
    );
  else out("Verified: made by the installation with this key, and unchanged.");
  return exitCodes.done;
}
