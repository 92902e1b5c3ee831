import type { Message } from "@sonde/proto/http/messages";
import type { Role, UserStatus } from "@sonde/proto/http/users";
import type { RegistrationPolicy } from "../context.ts";

export type Admission = { role: Role; status: UserStatus } | { refusal: Message };

/**
 * Who may come in, and as what. The first account is an active admin under every policy, but must carry the setup
 * code where one is set; afterwards the code means nothing.
 */
export function admit(
  policy: RegistrationPolicy,
  { isFirst, codeMatches }: { isFirst: boolean; codeMatches: boolean },
): Admission {
  if (isFirst) {
    if (policy.setupCode !== undefined && !codeMatches) return { refusal: "The setup code is not correct" };
    return { role: "admin", status: "active" };
  }
  if (policy.registration === "closed") return { refusal: "Registration is closed" };
  return { role: "user", status: policy.registration === "open" ? "active" : "pending" };
}
