import { useState } from 'preact/hooks';

/** A picture of a listing. Without one, the first letter of the title takes its place. */
export function Picture({
  source,
  title,
  alt = '',
}: {
  source?: string | undefined;
  title: string;
  alt?: string;
}) {
  const [failed, setFailed] = useState<string>();
  if (source === undefined || failed === source)
    return (
      <div class="picture none" aria-hidden="true">
        {[...title][0] ?? ''}
      </div>
    );
  return (
    <div class="picture">
      <img
        src={source}
        alt={alt}
        loading="lazy"
        decoding="async"
        referrerpolicy="no-referrer"
        onError={() => setFailed(source)}
      />
    </div>
  );
}
