import { statusOf } from "../../app/errors.ts";
import { paths } from "../../app/paths.ts";
import { AddLink } from "../../lists/add-link.tsx";
import { ListPage } from "../../lists/list-page.tsx";
import { useUsersQuery } from "./api.ts";
import { useUserList } from "./list.ts";
import { UserFilters } from "./list-filters.tsx";
import NotAllowedScreen from "./not-allowed-screen.tsx";
import { UserTable } from "./user-table.tsx";

/** Accounts make no live events: a new one shows by asking now and then. */
const askAgainMs = 30_000;

export default function ListScreen() {
  const list = useUserList();
  const query = useUsersQuery(list.query, { pollingInterval: askAgainMs, refetchOnMountOrArgChange: true });
  if (statusOf(query.error) === 403) return <NotAllowedScreen />;
  const add = <AddLink noun="users" to={paths.userCreate} />;
  return (
    <ListPage
      noun="users"
      list={list}
      query={query}
      fallback="fetchUsers"
      actions={add}
      filters={<UserFilters list={list} />}
    >
      {(page) => <UserTable users={page?.users} list={list} />}
    </ListPage>
  );
}
