import { newPassword } from "@sonde/proto/http/users";
import type { TFunction } from "i18next";
import { z } from "zod";
import { faultsIn, type FormFault } from "../../lib/form-faults.ts";

export type PasswordValues = { currentPassword: string; newPassword: string; confirmPassword: string };

export const emptyPasswords: PasswordValues = { currentPassword: "", newPassword: "", confirmPassword: "" };

const input = z.object({ newPassword });

/** All three are required, the new one follows the contract, and the last repeats it. */
export function checkPasswords(values: PasswordValues, t: TFunction): FormFault[] {
  const required = [
    ["currentPassword", t("profile.password.currentRequired")],
    ["newPassword", t("profile.password.newRequired")],
    ["confirmPassword", t("profile.password.confirmRequired")],
  ] as const;
  const faults: FormFault[] = required.filter(([path]) => values[path] === "").map(([path, text]) => ({ path, text }));
  faults.push(...faultsIn(input, values));
  if (values.newPassword !== values.confirmPassword) {
    faults.push({ path: "confirmPassword", text: t("profile.password.mismatch") });
  }
  return faults;
}
