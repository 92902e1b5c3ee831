import type { NotificationChannel } from "@sonde/proto/http/notifications/channels";
import { DeleteDialog, type DeleteDialogProps } from "../../../lists/delete-dialog.tsx";
import { useDeleteChannelMutation } from "../api.ts";

type DeleteChannelDialogProps = Omit<DeleteDialogProps, "target"> & { channel: NotificationChannel | null };

/** Asks by name before a channel goes. */
export function DeleteChannelDialog({ channel, ...props }: DeleteChannelDialogProps) {
  const [remove] = useDeleteChannelMutation();
  return <DeleteDialog {...props} target={channel} noun="channels" fallback="deleteChannel" remove={remove} />;
}
