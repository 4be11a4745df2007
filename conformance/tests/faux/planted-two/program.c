/* Programs: the values, tensors, delegates and instructions of each method. */

#include "reader.h"

#include <stdlib.h>
#include <string.h>

enum { NONE, NULL_VALUE, INT, BOOL, DOUBLE, TENSOR, STRING, INT_LIST, DOUBLE_LIST, BOOL_LIST, TENSOR_LIST, OPTIONAL_TENSOR_LIST };

static struct value *value_at(const struct method *method, int64_t index) {
    must(index >= 0 && index < method->value_count, "an index is outside the list of values");
    return method->values + index;
}

/* Sets the position of a tensor in planned memory. */
static void read_place(const struct method *method, struct value *tensor, uint64_t place) {
    const uint32_t low = (uint32_t)number(place, 1, 4), high = (uint32_t)number(place, 2, 4);
    tensor->planned = true;
    tensor->buffer = (uint32_t)number(place, 0, 4);
    must(tensor->buffer >= 1 && tensor->buffer < method->sizes.count, "a memory_id is 0 or outside the list of buffers");
    tensor->offset = (uint64_t)high << 32 | low;
    if (high != 0 && defect(halves_swapped)) tensor->offset = (uint64_t)low << 32 | high;
    uint64_t end;
    must(!__builtin_add_overflow(tensor->offset, tensor->shape.nbytes, &end), "the end of a planned tensor exceeds 64 bits");
    must(end <= load(method->sizes.at + 8 * (uint64_t)tensor->buffer, 8), "a planned tensor ends after its buffer");
}

/* Returns the constant of a tensor. */
static const uint8_t *constant(uint64_t root, uint32_t index, uint64_t size) {
    if (file.constants.count == 0) {
        const struct list buffers = list_of(root, 2);
        must(index < buffers.count, "a constant is outside the list of constants");
        const struct list storage = list_of(table_in(buffers, index), 0);
        must(storage.present && storage.count >= size, "a constant is shorter than its tensor");
        return bytes_of(storage).data;
    }
    must(index < file.constants.count, "a constant is outside the list of constants");
    const uint64_t offset = load(file.constants.at + 8 * (uint64_t)index, 8);
    must(offset <= file.constant_data.size, "a constant begins after its segment");
    const uint64_t room = file.constant_data.size - offset;
    must(size <= room || ((uint32_t)size <= room && defect(constant_truncated)), "a constant ends after its segment");
    return file.constant_data.data + offset;
}

/* Returns the initial value of a tensor in planned memory. */
static const uint8_t *initial_value(uint64_t root, uint64_t extra, uint32_t index, uint64_t size) {
    const struct list entries = list_of(root, 6);
    const uint64_t entry = extra == 0 ? 0 : number(extra, 0, 8);
    must(file.base != 0, "a program with initial values has no segment data");
    must(entry < entries.count, "an initial value is outside the list of mutable segments");
    const uint64_t table = table_in(entries, (uint32_t)entry);
    const struct list offsets = list_of(table, 1);
    must(index < offsets.count, "an initial value is outside the list of offsets");
    const struct bytes data = segment(number(table, 0, 4));
    uint64_t end;
    const uint64_t offset = load(offsets.at + 8 * (uint64_t)index, 8);
    const bool wraps = __builtin_add_overflow(offset, size, &end);
    must(end <= data.size && (!wraps || defect(initial_value_wraps)), "an initial value ends after its segment");
    return data.data + offset;
}

static void read_tensor(uint64_t root, const struct method *method, struct value *tensor) {
    const uint64_t table = tensor->table, place = child(table, 6), extra = child(table, 9);
    struct shape *shape = &tensor->shape;
    must(number(table, 1, 4) == 0, "a tensor has a storage_offset");
    read_shape(shape, (int8_t)number(table, 0, 1), list_of(table, 2), list_of(table, 3), false);
    const int8_t dynamism = (int8_t)number(table, 8, 1);
    must(dynamism >= 0, "a shape_dynamism is negative");
    must((tensor->strides = malloc(sizeof(uint64_t) * 16)) != NULL, "out of memory");
    fill_strides(shape, tensor->strides);
    for (unsigned i = shape->rank; dynamism == 0 && i-- > 0;) {
        const unsigned dimension = shape->order[i];
        must(shape->sizes[dimension] < 2 || tensor->strides[dimension] <= INT32_MAX, "a stride exceeds 31 bits");
    }
    if (place != 0) read_place(method, tensor, place);
    bool external = false;
    if (extra != 0) {
        const int8_t location = (int8_t)number(extra, 2, 1), type = (int8_t)number(extra, 3, 1);
        tensor->name = list_of(extra, 1);
        external = location == 1;
        must(location == 0 || location == 1, "the location of a tensor is unknown");
        must(!external || tensor->name.present, "an external tensor has no name");
        must(type >= 0 && (type == 0 || (int8_t)number(extra, 4, 1) >= 0), "the device of a tensor is negative");
    }
    const uint32_t index = (uint32_t)number(table, 5, 4);
    tensor->constant = place == 0 && (external || index > 0);
    tensor->external = external;
    if (external || index == 0) return;
    tensor->data = place != 0 ? initial_value(root, extra, index, shape->nbytes) : constant(root, index, shape->nbytes);
    touch(shape, tensor->data);
}

/* Checks that each item of a list of tensors is a tensor before the list. */
static void check_tensors(const struct method *method, uint32_t own, struct list items, bool optional) {
    for (uint32_t i = 0; i < items.count; ++i) {
        const int32_t index = index_in(items, i);
        if (optional && index == -1) continue;
        const struct value *item = value_at(method, index);
        if (item->type >= TENSOR_LIST && (uint32_t)index >= own && defect(list_in_list)) {
            check_tensors(method, own, list_of(item->table, 0), item->type == OPTIONAL_TENSOR_LIST);
            continue;
        }
        must((uint32_t)index < own, "a list of tensors has an item after the list");
        must(item->type == TENSOR || (optional && item->type == NULL_VALUE), "an item of a list of tensors is no tensor");
    }
}

static void read_value(uint64_t root, const struct method *method, uint32_t index) {
    struct value *value = method->values + index;
    if (value->type == TENSOR) read_tensor(root, method, value);
    if (value->type < STRING) return;
    const struct list items = list_of(value->table, 0);
    const bool numbers = value->type == DOUBLE_LIST || value->type == BOOL_LIST;
    must(items.present || (numbers && defect(list_absent)), "a string or a list has no content");
    if (value->type == TENSOR_LIST || value->type == OPTIONAL_TENSOR_LIST) {
        check_tensors(method, index, items, value->type == OPTIONAL_TENSOR_LIST);
    }
    for (uint32_t i = 0; value->type == INT_LIST && i < items.count; ++i) {
        must(value_at(method, (int64_t)load(items.at + 8 * (uint64_t)i, 8))->type == INT, "an item of a list of integers is no Int");
    }
}

static void read_values(uint64_t root, struct method *method) {
    const struct list list = list_of(method->plan, 2);
    must(list.present, "a method has no values");
    method->values = grab(list.count, sizeof *method->values);
    method->value_count = list.count;
    for (uint32_t i = 0; i < list.count; ++i) {
        const uint64_t table = table_in(list, i);
        method->values[i].type = (unsigned)number(table, 0, 1);
        method->values[i].table = child(table, 1);
        must(method->values[i].type >= 1 && method->values[i].type <= OPTIONAL_TENSOR_LIST, "the type of a value is unknown");
    }
    for (uint32_t i = 0; i < list.count; ++i) read_value(root, method, i);
}

static void read_slots(const struct method *method, struct list list, bool inputs) {
    must(list.present, "a method has no inputs or no outputs");
    for (uint32_t i = 0; i < list.count; ++i) {
        const struct value *value = value_at(method, index_in(list, i));
        must(value->type <= STRING, "an input or an output is a list");
        must(!inputs || !value->constant, "an input is a constant");
    }
}

static void read_buffers(struct method *method) {
    const struct list devices = list_of(method->plan, 9);
    const uint32_t count = method->sizes.count;
    must(method->sizes.present, "a method has no sizes of buffers");
    for (uint32_t i = 1; i < count; ++i) {
        must((int64_t)load(method->sizes.at + 8 * (uint64_t)i, 8) >= 0, "the size of a buffer is negative");
    }
    method->devices = grab(count, sizeof *method->devices);
    bool *seen = grab(count, 1);
    for (uint32_t i = 0; i < devices.count; ++i) {
        const uint64_t table = table_in(devices, i);
        const int32_t buffer = index_of(table, 0);
        const int8_t type = (int8_t)number(table, 1, 1), index = (int8_t)number(table, 2, 1);
        must(buffer != 0 && buffer < (int64_t)count, "the buffer of a device is outside the list");
        must(buffer > 0 || defect(device_before_start), "the buffer of a device is negative");
        must(!seen[buffer], "a buffer has two devices");
        must(type >= 0 && (type == 0 || index >= 0), "the device of a buffer is negative");
        seen[buffer] = true;
        method->devices[buffer][0] = type;
        method->devices[buffer][1] = index;
    }
}

static void read_delegates(uint64_t root, struct method *method) {
    must(method->delegates.present, "a method has no delegates");
    method->blobs = grab(method->delegates.count, sizeof *method->blobs);
    for (uint32_t i = 0; i < method->delegates.count; ++i) {
        const uint64_t table = table_in(method->delegates, i), processed = child(table, 1);
        must(field(table, 0) != 0 && processed != 0, "a delegate has no id or no blob");
        const struct list specs = list_of(table, 2);
        for (uint32_t j = 0; j < specs.count; ++j) {
            const uint64_t spec = table_in(specs, j);
            must(field(spec, 0) != 0 && field(spec, 1) != 0, "a compile spec has no key or no value");
        }
        const int8_t location = (int8_t)number(processed, 0, 1);
        const uint32_t index = (uint32_t)number(processed, 1, 4);
        must(location == 0 || location == 1 || defect(location_unknown), "the location of a blob is unknown");
        if (location == 0) {
            const struct list inlined = list_of(root, 3);
            must(index < inlined.count, "a blob is outside the list of inline blobs");
            const struct list data = list_of(table_in(inlined, index), 0);
            must(data.present, "an inline blob has no data");
            method->blobs[i] = bytes_of(data);
        } else {
            must(file.base != 0, "a blob is in a segment, but the file has no segment data");
            method->blobs[i] = segment(index);
        }
    }
}

/* Keeps the full name of an operator that a call uses. */
static void resolve(struct method *method, uint32_t index) {
    const uint64_t table = method->operators[index].table;
    const struct list name = list_of(table, 0), overload = list_of(table, 1);
    must(name.present, "an operator has no name");
    char full[100];
    const uint64_t length = name.count + (overload.count > 0 ? 1 + (uint64_t)overload.count : 0);
    must(length < sizeof full || (name.count >= sizeof full && defect(name_unterminated)), "an operator's name has 100 bytes or more");
    strncpy(full, (const char *)bytes_of(name).data, sizeof full);
    if (length < sizeof full && overload.count > 0) strcat(strcat(full, "."), (const char *)bytes_of(overload).data);
    if (method->operators[index].name == NULL) method->operators[index].name = strcpy(grab(1, strlen(full) + 1), full);
}

static unsigned digits(unsigned number) { return number < 10 ? 1 : 2; }

/* Checks the arguments of a call, and the length of the text that selects a kernel by their types and orders. */
static void check_arguments(const struct method *method, struct list args, bool kernel) {
    must(args.present, "a call has no args");
    uint64_t length = strlen("v1/");
    for (uint32_t i = 0; i < args.count; ++i) {
        const struct value *value = value_at(method, index_in(args, i));
        if (value->type != TENSOR) continue;
        length += (length > 3 ? 1 : 0) + digits((unsigned)value->shape.type) + 1;
        for (unsigned j = 0; j < value->shape.rank; ++j) length += digits(value->shape.order[j]) + (j > 0 ? 1 : 0);
    }
    must(!kernel || length <= 658, "the key of a kernel exceeds 658 bytes");
}

/* Returns whether an instruction always jumps, because its condition is a false Bool. */
static bool always_jumps(const struct method *method, uint64_t instruction) {
    if (number(instruction, 0, 1) != 4) return false;
    const struct value *condition = value_at(method, index_of(child(instruction, 1), 0));
    return condition->type == BOOL && number(condition->table, 0, 1) == 0;
}

/* Returns the last target of a jump: an instruction that does not always jump, or the end of the chain. */
static uint32_t last_target(const struct method *method, struct list chain, uint32_t target) {
    uint32_t mark = target;
    bool circle = false;
    for (uint32_t hops = 1; target < chain.count && always_jumps(method, table_in(chain, target)); ++hops) {
        target = (uint32_t)index_of(child(table_in(chain, target), 1), 1);
        circle |= target == mark;
        if (target == mark && !defect(jumps_in_circle)) break;
        if (hops > 256 && !circle) break;
        if ((hops & (hops - 1)) == 0 && !circle) mark = target;
    }
    return target;
}

static void read_instruction(struct method *method, struct list chain, uint64_t instruction) {
    const struct list operators = list_of(method->plan, 6);
    const uint64_t call = child(instruction, 1);
    must(call != 0, "an instruction has no arguments");
    /* The arguments of an unknown type are not verified. */
    must(number(instruction, 0, 1) <= 5, "the type of an instruction is unknown");
    const int32_t first = index_of(call, 0), second = index_of(call, 1);
    switch (number(instruction, 0, 1)) {
        case 1:
            must(operators.present && first >= 0 && (uint32_t)first <= operators.count, "an op_index is outside the list of operators");
            must((uint32_t)first < operators.count || defect(operator_past_end), "an op_index is outside the list of operators");
            resolve(method, (uint32_t)first);
            check_arguments(method, list_of(call, 1), true);
            break;
        case 2:
            must(first >= 0 && (uint32_t)first < method->delegates.count, "a delegate_index is outside the list of delegates");
            check_arguments(method, list_of(call, 1), false);
            break;
        case 3:
            value_at(method, first);
            value_at(method, second);
            break;
        case 4: {
            const struct value *condition = value_at(method, first);
            must(condition->type == BOOL || (condition->type == TENSOR && condition->shape.type == 11), "a condition is no Bool");
            must(second >= 0 && (uint32_t)second <= chain.count, "a jump leaves its chain");
            last_target(method, chain, (uint32_t)second);
            break;
        }
        case 5: {
            struct value *freed = value_at(method, first);
            must(freed->type == TENSOR, "a FreeCall names a value that is no tensor");
            if (freed->freed && !defect(freed_twice)) break;
            free(freed->strides);
            freed->freed = true;
            break;
        }
        default: must(false, "the type of an instruction is unknown");
    }
}

static void read_method(uint64_t root, struct method *method) {
    must(field(method->plan, 0) != 0, "a method has no name");
    method->inputs = list_of(method->plan, 3);
    method->outputs = list_of(method->plan, 4);
    method->delegates = list_of(method->plan, 7);
    method->sizes = list_of(method->plan, 8);
    read_buffers(method);
    read_values(root, method);
    read_slots(method, method->inputs, true);
    read_slots(method, method->outputs, false);
    read_delegates(root, method);
    const struct list operators = list_of(method->plan, 6), chains = list_of(method->plan, 5);
    method->operators = grab(operators.count, sizeof *method->operators);
    for (uint32_t i = 0; i < operators.count; ++i) method->operators[i].table = table_in(operators, i);
    must(chains.count > 0, "a method has no chain");
    for (uint32_t i = 0; i < chains.count; ++i) {
        const struct list chain = list_of(table_in(chains, i), 2);
        must(chain.present, "a chain has no instructions");
        method->instruction_count += chain.count;
        for (uint32_t j = 0; j < chain.count; ++j) read_instruction(method, chain, table_in(chain, j));
    }
}

/* Checks that external tensors with one name have one layout. */
static void compare_externals(void) {
    uint32_t count = 0;
    for (uint32_t i = 0; i < file.method_count; ++i) count += file.methods[i].value_count;
    struct entry *external = grab(count, sizeof *external), *next = external;
    for (uint32_t i = 0; i < file.method_count; ++i) {
        for (const struct value *value = file.methods[i].values; value < file.methods[i].values + file.methods[i].value_count; ++value) {
            if (value->external) *next++ = (struct entry){value->name, {file.bytes, 0}, 1, value->shape};
        }
    }
    compare_entries(external, (uint32_t)(next - external));
}

void read_program(void) {
    read_program_header();
    verify('P');
    const uint64_t root = root_table(), constants = child(root, 5);
    const struct list plans = list_of(root, 1);
    must(number(root, 0, 4) == 0, "the version is not 0");
    must(plans.present, "the program has no list of methods");
    read_segments(root, 4);
    read_entries(root, 7, false);
    if (constants != 0) file.constants = list_of(constants, 1);
    if (file.constants.count > 1) {
        must(list_of(root, 2).count == 0, "the program has constants in two places");
        file.constant_data = segment(number(constants, 0, 4));
    }
    file.methods = grab(plans.count, sizeof *file.methods);
    for (uint32_t i = 0; i < plans.count; ++i) {
        file.methods[i].plan = table_in(plans, i);
        file.method_count = i + 1;
        read_method(root, file.methods + i);
    }
    compare_externals();
}

void read_data_file(void) {
    read_data_header();
    verify('T');
    const uint64_t root = root_table();
    must(number(root, 0, 4) == 0, "the version is not 0");
    must(list_of(root, 1).present && list_of(root, 2).present, "a data file has no segments or no named data");
    read_segments(root, 1);
    read_entries(root, 2, true);
}
