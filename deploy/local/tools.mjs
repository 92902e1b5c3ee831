// Programs that tests and benchmarks call and npm does not bring: found on this machine, or installed from Debian's
// packages by root. Plain JavaScript; see prepare.mjs.
import { existsSync } from "node:fs";
import { delimiter, join } from "node:path";
import { giveUp, step } from "./steps.mjs";

const chromiumPath = process.env.CHROMIUM_PATH ?? "/usr/bin/chromium";
const isOnPath = (name) => (process.env.PATH ?? "").split(delimiter).some((folder) => existsSync(join(folder, name)));

/** Debian's packages, and whether what is needed of them is there. */
const packages = {
  chromium: () => existsSync(chromiumPath),
  curl: () => isOnPath("curl"),
  "xz-utils": () => isOnPath("xz"),
  openssl: () => isOnPath("openssl"),
};

/**
 * Installs missing packages of `wanted`; without permission it ends the process with one line: `who` needs them, how to
 * install them, and, in `otherwise`, what works without.
 */
export async function getTools(wanted, who, otherwise = "") {
  const missing = wanted.filter((name) => !packages[name]());
  if (missing.length === 0) return;
  const mayInstall = process.getuid?.() === 0 && existsSync("/usr/bin/apt-get");
  const namesAbsent = Boolean(process.env.CHROMIUM_PATH) && missing.includes("chromium");
  if (!mayInstall || namesAbsent) {
    const orPath = missing.includes("chromium") ? " or set CHROMIUM_PATH" : "";
    const byHand = `Install (Debian: \`sudo apt-get install ${missing.join(" ")}\`)${orPath}.`;
    giveUp([`${who}: ${missing.join(", ")} missing.`, byHand, otherwise].filter(Boolean).join(" "));
  }
  const quietly =
    "export DEBIAN_FRONTEND=noninteractive; apt-get -qq update && apt-get -qq install --no-install-recommends -y";
  await step(`Installing ${missing.join(", ")}`, "sh", ["-c", `${quietly} ${missing.join(" ")}`]);
}
