import type { ComponentChildren } from 'preact';
import type { FeedItem } from '../feed-page.ts';
import type { SearchState } from '../search-state.ts';
import { useWords } from '../use-words.ts';
import { isWebAddress } from './listing-facts.ts';

/** How the results show and open a listing. */
export interface ListingLink {
  /** The request whose listings are shown. */
  state: SearchState;
  /** Returns the URL of the page with a listing's detail. */
  hrefOf(id: string): string;
  onOpen(id: string): void;
}

interface DetailLinkProps extends ListingLink {
  item: FeedItem;
  class?: string;
}

/** A listing's title, as a link to the listing's detail. A visitor may open the link in another tab. */
export const DetailLink = ({ item: { id, title }, hrefOf, onOpen, class: className }: DetailLinkProps) => (
  <a
    class={className}
    href={hrefOf(id)}
    onClick={(event) => {
      if (event.metaKey || event.ctrlKey || event.shiftKey) return;
      event.preventDefault();
      onOpen(id);
    }}
  >
    {title}
  </a>
);

interface MarketplaceLinkProps {
  item: Pick<FeedItem, 'title' | 'url'>;
  class?: string;
  /** The text that replaces an unusable URL. */
  none?: ComponentChildren;
}

/** The link to the listing on the marketplace. */
export function MarketplaceLink({ item: { title, url }, class: className, none }: MarketplaceLinkProps) {
  const { texts } = useWords();
  if (!isWebAddress(url)) return <>{none}</>;
  return (
    <a class={className} href={url} rel="noopener noreferrer nofollow" target="_blank">
      {texts.view}
      <span class="hidden-text"> {title}</span>
    </a>
  );
}
