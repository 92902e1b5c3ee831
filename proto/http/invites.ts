import * as z from "zod";
import { instant, rowId, success } from "./envelope.ts";
import { email, newPassword, roles, username } from "./users.ts";

export const maxInvites = 100;
export const inviteHours = 72;

export const invite = z.object({
  id: rowId,
  email: z.string().optional(),
  role: z.enum(roles),
  expiresAt: instant,
  createdBy: z.string(),
});
export type Invite = z.infer<typeof invite>;

export const createInviteInput = z.strictObject({
  email: email.optional().meta({ description: "Receives the link if an email channel is enabled." }),
  role: z.enum(roles).default("viewer"),
});

/** 256 random bits in base64url. Longer texts are unknown tokens. */
const token = z.string().min(1).max(100);
export const checkInviteInput = z.strictObject({ token });
export const acceptInviteInput = z.strictObject({ token, username, password: newPassword, email: email.optional() });
export type AcceptInviteInput = z.infer<typeof acceptInviteInput>;

export const newInviteAnswer = success({
  invite,
  url: z.string().meta({ description: "The link with the token, which is only returned here." }),
  mail: z
    .enum(["queued", "unavailable"])
    .optional()
    .meta({ description: "`unavailable`: no email channel is enabled. Absent without `email`." }),
});
export const invitesAnswer = success({ invites: z.array(invite), total: z.int() });
export const checkInviteAnswer = success(invite.pick({ role: true, email: true, expiresAt: true }).shape);
