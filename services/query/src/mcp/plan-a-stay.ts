import { fromJsonSchema, type GetPromptResult } from '@modelcontextprotocol/server';

interface StayArguments {
  city: string;
  date: string;
  date_to: string;
  nights?: string;
  wishes?: string;
}

const text = (description: string) => ({ type: 'string' as const, description });

export const PLAN_A_STAY = {
  name: 'plan_a_stay',
  config: {
    title: 'Plan a stay',
    description: 'Finds listings in a city that are free on all nights of a stay, and compares them.',
    argsSchema: fromJsonSchema<StayArguments>({
      type: 'object',
      properties: {
        city: text('City, for example Curitiba'),
        date: text('First night, YYYY-MM-DD'),
        date_to: text('Last night, YYYY-MM-DD: the day before check-out'),
        nights: text('Optional, for flexible dates: number of nights between date and date_to, 1 to 30'),
        wishes: text('Optional: number of guests, highest total, lowest rating, and so on'),
      },
      required: ['city', 'date', 'date_to'],
    }),
  },
  /** Quotes around the values show where each value ends. */
  render: ({ city, date, date_to, nights, wishes }: StayArguments): GetPromptResult => ({
    messages: [
      {
        role: 'user',
        content: {
          type: 'text',
          text: [
            nights
              ? `Plan a stay of ${JSON.stringify(nights)} nights in ${JSON.stringify(city)}, at any time from ${JSON.stringify(date)} to the last night ${JSON.stringify(date_to)}.`
              : `Plan a stay in ${JSON.stringify(city)}, first night ${JSON.stringify(date)}, last night ${JSON.stringify(date_to)}.`,
            ...(wishes ? [`Wishes: ${JSON.stringify(wishes)}.`] : []),
            `Call search_listings with ad_type ["rent"], the city, date and date_to${nights ? ', nights' : ''} and sort total_price. ` +
              'Where a filter exists, express the wish with it: max_total_price for the budget of the whole stay, ' +
              'min_rating for the lowest rating. Compare at most three listings by total price and by how they fit the ' +
              'wishes. If few are free, name other dates only from neighbouring_stays: its entries say how many ' +
              'listings are free on all nights. Give the url of each listing.',
          ].join('\n'),
        },
      },
    ],
  }),
};
