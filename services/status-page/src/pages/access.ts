import type { FieldFault } from "@sonde/kit/errors";
import type { PageChange } from "@sonde/proto/http/status/pages";
import { randomBytes } from "node:crypto";
import type { StoredAccess, StoredPage } from "./store.ts";

type AccessFields = Pick<StoredPage, "access" | "passwordHash" | "cookieKey">;

const publicAccess: AccessFields = {
  access: { mode: "public", domains: [], addresses: [], allowFrom: [] },
  passwordHash: null,
  cookieKey: null,
};

/** Merges a change into a page's access. If some readers lose access, the cookies of all become invalid. */
export function changeAccess(
  before: AccessFields | null,
  { access = {}, passwordHash }: { access?: PageChange["access"]; passwordHash: string | undefined },
): AccessFields {
  const known = before ?? publicAccess;
  const { password: _, ...given } = access;
  const next: StoredAccess = { ...known.access, ...given };
  const changed = { access: next, passwordHash: passwordHash ?? known.passwordHash };
  const isNew = known.cookieKey === null || isStricter(known, changed);
  return { ...changed, cookieKey: next.mode === "public" || !isNew ? known.cookieKey : randomBytes(32) };
}

/** Whether some readers lose access: the mode or password changed, or a mail address or domain was removed. */
export const isStricter = (
  before: Pick<AccessFields, "access" | "passwordHash">,
  after: Pick<AccessFields, "access" | "passwordHash">,
): boolean =>
  before.access.mode !== after.access.mode ||
  before.passwordHash !== after.passwordHash ||
  (["domains", "addresses"] as const).some((list) =>
    before.access[list].some((entry) => !after.access[list].includes(entry)),
  );

export function accessErrors(
  { access, passwordHash, config }: Pick<StoredPage, "access" | "passwordHash" | "config">,
  publicUrl: string | null,
): FieldFault[] {
  if (access.mode === "password" && passwordHash === null) {
    return [{ path: "access.password", message: "Set a password for this page" }];
  }
  if (access.mode !== "mail") return [];
  const faults: FieldFault[] = [];
  if (access.domains.length + access.addresses.length === 0) {
    faults.push({
      path: "access.domains",
      message: "Enter at least one domain or email address that can view the page",
    });
  }
  if (config.subscriptions.channelId === null) {
    faults.push({ path: "subscriptions.channelId", message: "Choose a channel to send this page's links by email" });
  }
  if (publicUrl === null) {
    faults.push({ path: "access.mode", message: "Links can be emailed only if PUBLIC_URL is set" });
  }
  return faults;
}

export const mayMail = ({ mode, domains, addresses }: StoredAccess, email: string): boolean =>
  mode === "mail" && (addresses.includes(email) || domains.includes(email.slice(email.lastIndexOf("@") + 1)));
