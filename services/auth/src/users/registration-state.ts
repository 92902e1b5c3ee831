import type { RegistrationMode } from "@sonde/proto/http/auth";
import type { Context } from "../context.ts";

export type RegistrationState = { mode: RegistrationMode; firstAccount: boolean; setupCodeRequired: boolean };

/** What visitors must know before they register. The mode does not hold for the first account. */
export async function registrationState({ store, policy }: Context): Promise<RegistrationState> {
  const firstAccount = !(await store.users.any());
  return {
    mode: policy.registration,
    firstAccount,
    setupCodeRequired: firstAccount && policy.setupCode !== undefined,
  };
}
