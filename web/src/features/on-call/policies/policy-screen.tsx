import { useTranslation } from "react-i18next";
import { useParams } from "react-router-dom";
import { statusOf } from "../../../app/errors.ts";
import { useSession } from "../../../app/hooks.ts";
import { paths } from "../../../app/paths.ts";
import { BackLink, Loaded, Missing } from "../../../app/screen.tsx";
import { ManagedForm } from "../../../entities/managed/managed-form.tsx";
import { usePolicyQuery } from "../../../entities/on-call/api.ts";
import { BellIcon } from "../../../ui/icons.tsx";
import { PageHeader } from "../../../ui/page-header.tsx";
import { PolicyForm } from "./policy-form.tsx";

/** A new policy, or the one in the address. */
export default function PolicyScreen() {
  const { t } = useTranslation();
  const { mayChange } = useSession();
  const { id } = useParams();
  const isNew = id === undefined;
  const query = usePolicyQuery(Number(id), { skip: isNew, refetchOnMountOrArgChange: true });
  const policy = query.currentData?.policy;
  const title = isNew ? "policies.createTitle" : mayChange ? "policies.editTitle" : "policies.viewTitle";
  return (
    <>
      <BackLink to={paths.policies} label={t("policies.title")} />
      <PageHeader title={t(title)} description={policy?.name} />
      {isNew ? (
        <PolicyForm />
      ) : statusOf(query.error) === 404 ? (
        <Missing icon={<BellIcon />} title={t("policies.missing")} back={t("policies.back")} backTo={paths.policies} />
      ) : (
        <Loaded query={{ ...query, data: policy }}>
          {(shown) => (
            <ManagedForm key={id} managed={shown.managed} kind="policy">
              <PolicyForm policy={shown} />
            </ManagedForm>
          )}
        </Loaded>
      )}
    </>
  );
}
