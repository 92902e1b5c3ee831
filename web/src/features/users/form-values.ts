import {
  type CreateUserInput,
  createUserInput,
  type Role,
  type UpdateUserInput,
  updateUserInput,
  type User,
  type UserStatus,
} from "@sonde/proto/http/users";
import type { TFunction } from "i18next";
import { faultsIn, type FormFault } from "../../lib/form-faults.ts";

/** What stands in the forms: texts as they were typed. */
export type AccountValues = { username: string; email: string; role: Role };
export type EditValues = AccountValues & { status: UserStatus };
export type PasswordValues = { password: string; confirmPassword: string };
export type CreateValues = AccountValues & PasswordValues;

export const emptyValues: CreateValues = { username: "", email: "", role: "user", password: "", confirmPassword: "" };

export const toValues = ({ username, email, role, status }: User): EditValues => ({
  username,
  email: email ?? "",
  role,
  status,
});

const account = (values: AccountValues) => {
  const email = values.email.trim();
  return { username: values.username.trim(), email: email || undefined };
};

export const readCreate = (values: CreateValues): CreateUserInput => ({
  ...account(values),
  password: values.password,
  role: values.role,
});

/** @param isSelf users do not change their own role or status here, so neither is sent. */
export const readUpdate = ({ role, status, ...values }: EditValues, isSelf: boolean): UpdateUserInput => ({
  ...account({ ...values, role }),
  ...(isSelf ? {} : { role, status }),
});

export const checkCreate = (values: CreateValues, t: TFunction): FormFault[] => [
  ...faultsIn(createUserInput, readCreate(values)),
  ...mismatch(values, t),
];

export const checkUpdate = (values: EditValues, isSelf: boolean): FormFault[] =>
  faultsIn(updateUserInput, readUpdate(values, isSelf));

/** Whether what was repeated is what was typed first. */
export function mismatch({ password, confirmPassword }: PasswordValues, t: TFunction): FormFault[] {
  return password === confirmPassword ? [] : [{ path: "confirmPassword", text: t("auth.register.mismatch") }];
}
