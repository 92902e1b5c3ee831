import type { FieldFault } from "@sonde/kit/errors";
import type { PageChange } from "@sonde/proto/http/status/pages";
import { randomBytes } from "node:crypto";
import type { StoredAccess, StoredPage } from "./store.ts";

type KeptAccess = Pick<StoredPage, "access" | "passwordHash" | "cookieKey">;

const anyone: KeptAccess = {
  access: { mode: "public", domains: [], addresses: [], allowFrom: [] },
  passwordHash: null,
  cookieKey: null,
};

/** A page's access after a change; absent fields stay. Who lost their way in loses the cookies that it gave. */
export function changeAccess(
  before: KeptAccess | null,
  { access = {}, passwordHash }: { access?: PageChange["access"]; passwordHash: string | undefined },
): KeptAccess {
  const known = before ?? anyone;
  const { password: _, ...given } = access;
  const next: StoredAccess = { ...known.access, ...given };
  const changed = { access: next, passwordHash: passwordHash ?? known.passwordHash };
  const isNew = known.cookieKey === null || isCloser(known, changed);
  return { ...changed, cookieKey: next.mode === "public" || !isNew ? known.cookieKey : randomBytes(32) };
}

/** Whether some who could read the page before may not any more: the mode or password is another, or a mail address less. */
export const isCloser = (
  before: Pick<KeptAccess, "access" | "passwordHash">,
  after: Pick<KeptAccess, "access" | "passwordHash">,
): boolean =>
  before.access.mode !== after.access.mode ||
  before.passwordHash !== after.passwordHash ||
  (["domains", "addresses"] as const).some((list) =>
    before.access[list].some((entry) => !after.access[list].includes(entry)),
  );

/** Why a page of this access could be read by no one. */
export function accessFaults(
  { access, passwordHash, config }: Pick<StoredPage, "access" | "passwordHash" | "config">,
  publicUrl: string | null,
): FieldFault[] {
  if (access.mode === "password" && passwordHash === null) {
    return [{ path: "access.password", message: "Set a password for this page" }];
  }
  if (access.mode !== "mail") return [];
  const faults: FieldFault[] = [];
  if (access.domains.length + access.addresses.length === 0) {
    faults.push({ path: "access.domains", message: "Enter a domain or email address that can view the page" });
  }
  if (config.subscriptions.channelId === null) {
    faults.push({ path: "subscriptions.channelId", message: "Choose a channel to send this page's links by email" });
  }
  if (publicUrl === null) {
    faults.push({ path: "access.mode", message: "Links can be emailed only if PUBLIC_URL is set" });
  }
  return faults;
}

/** Whether a link may be mailed to an address, in lower case. */
export const mayMail = ({ mode, domains, addresses }: StoredAccess, email: string): boolean =>
  mode === "mail" && (addresses.includes(email) || domains.includes(email.slice(email.lastIndexOf("@") + 1)));
