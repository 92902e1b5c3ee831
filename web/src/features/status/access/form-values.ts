import { pageChange, type StatusPage } from "@sonde/proto/http/status/pages";
import { schemaErrors, type FormError } from "../../../lib/form-errors.ts";

/** Lists have one entry per line. */
export type AccessValues = {
  mode: StatusPage["access"]["mode"];
  /** Empty: keep the current password. */
  password: string;
  domains: string;
  addresses: string;
  allowFrom: string;
  hosts: string;
};

const lists = ["domains", "addresses", "allowFrom"] as const;
const fields = ["mode", "password", "hosts", ...lists];
export const entries = (text: string) => text.split(/[\s,]+/).filter((entry) => entry !== "");

export const toValues = ({ access, hosts }: StatusPage): AccessValues => ({
  mode: access.mode,
  password: "",
  domains: access.domains.join("\n"),
  addresses: access.addresses.join("\n"),
  allowFrom: access.allowFrom.join("\n"),
  hosts: hosts.join("\n"),
});

export const toInput = ({ mode, password, hosts, ...texts }: AccessValues) => ({
  hosts: entries(hosts),
  access: {
    mode,
    ...(mode === "password" && password !== "" && { password }),
    ...(Object.fromEntries(lists.map((name) => [name, entries(texts[name])])) as Record<
      (typeof lists)[number],
      string[]
    >),
  },
});

/** Returns the form field of an input path, such as `access.domains.0`. */
export function fieldOf(path: string): string | null {
  const [name = ""] = path.replace(/^access\./, "").split(".");
  return fields.includes(name) ? name : null;
}

export const checkValues = (values: AccessValues): FormError[] =>
  schemaErrors(pageChange, toInput(values)).map((error) => ({ ...error, path: fieldOf(error.path) ?? error.path }));
