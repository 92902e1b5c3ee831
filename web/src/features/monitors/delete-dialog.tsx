import { DeleteDialog, type DeleteDialogProps } from "../../lists/delete-dialog.tsx";
import { useDeleteMonitorMutation } from "./api.ts";

/** Asks before a monitor and its history go. */
export function DeleteMonitorDialog(props: DeleteDialogProps) {
  const [remove] = useDeleteMonitorMutation();
  return <DeleteDialog {...props} noun="monitors" fallback="deleteMonitor" remove={remove} />;
}
