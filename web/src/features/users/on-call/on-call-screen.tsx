import { useTranslation } from "react-i18next";
import { paths } from "../../../app/paths.ts";
import { BackLink, Loaded } from "../../../app/screen.tsx";
import { PageHeader } from "../../../ui/page-header.tsx";
import { Skeleton } from "../../../ui/states.tsx";
import { useContactsQuery } from "./api.ts";
import { ContactsForm } from "./contacts-form.tsx";
import { DevicesCard } from "./devices-card.tsx";

/** How the logged-in person is notified while on call. */
export default function ProfileOnCallScreen() {
  const { t } = useTranslation();
  const query = useContactsQuery();
  return (
    <div className="mx-auto max-w-2xl">
      <BackLink to={paths.profile} label={t("profile.title")} />
      <PageHeader title={t("contacts.title")} description={t("contacts.text")} />
      <div className="flex flex-col gap-4">
        <Loaded query={query} placeholder={<Placeholder />}>
          {({ contacts, pushKey }) => (
            <>
              <DevicesCard contacts={contacts} pushKey={pushKey} />
              <ContactsForm contacts={contacts} />
            </>
          )}
        </Loaded>
      </div>
    </div>
  );
}

function Placeholder() {
  const { t } = useTranslation();
  return (
    <div role="status" aria-label={t("common.loading")} className="flex flex-col gap-4">
      <Skeleton className="h-44 w-full" />
      <Skeleton className="h-96 w-full" />
    </div>
  );
}
