import { Loaded } from "../../../app/screen.tsx";
import { Skeleton } from "../../../ui/states.tsx";
import { useStatusConfigQuery } from "./api.ts";
import { PageForm } from "./page-form.tsx";
import { PublicAddress } from "./public-address.tsx";

/** The configuration of the public page. */
export default function PageTab() {
  const query = useStatusConfigQuery();
  return (
    <Loaded query={query} fallback="fetchData" placeholder={<Skeleton className="h-[40rem] w-full" />}>
      {(stored) => (
        <div className="flex flex-col gap-4">
          <PublicAddress publicUrl={stored.publicUrl} />
          <PageForm stored={stored} />
        </div>
      )}
    </Loaded>
  );
}
