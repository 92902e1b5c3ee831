import { errorText } from "../../../app/errors.ts";
import { Card } from "../../../ui/card.tsx";
import { ErrorState, Skeleton } from "../../../ui/states.tsx";
import { useStatusConfigQuery } from "./api.ts";
import { PageForm } from "./page-form.tsx";
import { PublicAddress } from "./public-address.tsx";

/** The configuration of the public page. */
export default function PageTab() {
  const { data, error, isFetching, refetch } = useStatusConfigQuery();
  if (data !== undefined) {
    return (
      <div className="flex flex-col gap-4">
        <PublicAddress publicUrl={data.publicUrl} />
        <PageForm stored={data} />
      </div>
    );
  }
  if (error === undefined) return <Skeleton className="h-[40rem] w-full" />;
  return (
    <Card>
      <ErrorState message={errorText(error, "fetchData")} onRetry={() => void refetch()} retrying={isFetching} />
    </Card>
  );
}
