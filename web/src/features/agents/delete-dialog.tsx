import { DeleteDialog, type DeleteDialogProps } from "../../lists/delete-dialog.tsx";
import { useDeleteAgentMutation } from "./api.ts";

/** Asks before an agent, its figures and its key go. */
export function DeleteAgentDialog(props: DeleteDialogProps) {
  const [remove] = useDeleteAgentMutation();
  return <DeleteDialog {...props} noun="agents" fallback="deleteAgent" remove={remove} />;
}
