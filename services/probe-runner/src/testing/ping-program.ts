import { execFile } from "node:child_process";
import { delimiter, dirname } from "node:path";
import { promisify } from "node:util";
import { findDebianProgram } from "@sonde/kit/testing/debian";

/** Makes iputils' `ping` available to checks; returns whether this user may send pings. */
export async function offerPing(): Promise<boolean> {
  const { program, root, libraries } = await findDebianProgram("ping", { package: "iputils-ping", path: "bin/ping" });
  process.env.PATH = [dirname(program), process.env.PATH].join(delimiter);
  if (root !== "/") process.env.LD_LIBRARY_PATH = [...libraries, process.env.LD_LIBRARY_PATH ?? ""].join(delimiter);
  return promisify(execFile)(program, ["-n", "-q", "-c", "1", "-W", "1", "127.0.0.1"]).then(
    () => true,
    () => false,
  );
}
