import type { User } from "@sonde/proto/http/users";
import { DeleteDialog, type DeleteDialogProps } from "../../lists/delete-dialog.tsx";
import { useDeleteUserMutation } from "./api.ts";

type DeleteUserDialogProps = Omit<DeleteDialogProps, "target"> & { user: Pick<User, "id" | "username"> | null };

/** Asks by name before an account goes. */
export function DeleteUserDialog({ user, ...props }: DeleteUserDialogProps) {
  const [remove] = useDeleteUserMutation();
  const target = user === null ? null : { id: user.id, name: user.username };
  return <DeleteDialog {...props} target={target} noun="users" fallback="deleteUser" remove={remove} />;
}
