import type { Role, UserStatus } from "@sonde/proto/http/users";

// The contract's lists without its schemas: the user list needs no zod.
export const roles = ["admin", "user", "viewer"] as const satisfies readonly Role[];
export const userStatuses = ["active", "pending", "disabled"] as const satisfies readonly UserStatus[];
