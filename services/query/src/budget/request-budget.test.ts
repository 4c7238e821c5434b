import { expect } from 'chai';
import { Overloaded } from '../search/search-limiter.ts';
import { BudgetExceeded, RequestBudget, SharedMemory } from './request-budget.ts';

const LIMITS = { foundBytes: 100, searches: 2, jsonCharacters: 10 };
const memory = () => new SharedMemory(1_000);

describe('the budget of a request', () => {
  it('is one for all calls of the request', () => {
    const budget = new RequestBudget(LIMITS, memory());
    budget.search();
    budget.search();
    expect(() => budget.search()).to.throw(BudgetExceeded, 'searches');
    budget.serialized(6);
    expect(() => budget.serialized(5)).to.throw(BudgetExceeded, 'jsonCharacters');
    budget.serialized(4);
    expect(budget.left('jsonCharacters')).to.equal(0);
  });

  it('has room for one document of any size, and then for those that fit', () => {
    const budget = new RequestBudget(LIMITS, memory());
    expect(budget.readable).to.equal(Number.POSITIVE_INFINITY);
    budget.found(60);
    expect(budget.readable).to.equal(40);
    const other = new RequestBudget(LIMITS, memory());
    other.found(200);
    expect(other.readable).to.equal(0);
  });

  it('shares the memory of the process with the others, and gives it back at the end', () => {
    const shared = memory();
    const [first, second] = [new RequestBudget(LIMITS, shared), new RequestBudget(LIMITS, shared)];
    first.found(300);
    expect(() => second.found(40)).to.throw(Overloaded);
    first.close();
    first.close();
    expect(shared.held).to.equal(0);
    second.found(40);
    expect(() => first.found(1)).to.throw(Overloaded, 'the caller gave up');
  });

  it('lets other requests run between pieces of work', async () => {
    const budget = new RequestBudget(LIMITS, memory());
    let turns = 0;
    const count = () => {
      turns++;
      counting = setImmediate(count);
    };
    let counting = setImmediate(count);
    for (let i = 0; i < 64; i++) await budget.worked(64 * 1024);
    clearImmediate(counting);
    expect(turns).to.be.within(15, 17);
    expect(budget.cost).to.equal(8);
    // Other requests may wait for an evaluation that goes on after its request.
    const charged: number[] = [];
    budget.close((cost) => charged.push(cost));
    await budget.worked(1024 * 1024);
    await budget.worked(1);
    expect(charged).to.deep.equal([8, 2]);
  });
});
