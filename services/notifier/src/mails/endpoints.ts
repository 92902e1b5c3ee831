import type { Handlers } from "@sonde/kit/bus/rpc";
import type { NotificationsService } from "@sonde/proto/gen/notifications/v1/notifications";
import type { Delivering } from "../deliveries/delivering.ts";
import { mailSender } from "./send-mail.ts";

/** Mails of other services. */
export const mailEndpoints = (deps: Delivering): Pick<Handlers<typeof NotificationsService>, "sendMail"> => ({
  sendMail: mailSender(deps),
});
